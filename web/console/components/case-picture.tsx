// One picture of a case: covered until the reviewer asks for it, and moved together with those that it is compared to.

import { type CSSProperties, type PointerEvent, type ReactNode, useEffect, useRef } from "react";
import { Button } from "react-aria-components/Button";
import { usePicture } from "../desk/pictures";
import { usePreferences } from "../preferences";
import { errorText } from "../session-context";
import { useTexts } from "../texts";
import { useViewing } from "./viewing";

/** How far pictures are zoomed, and which part of them is seen; shared by those that are compared. */
export interface Zoom {
  scale: number;
  /** How far it is moved, in parts of its own size. */
  x: number;
  y: number;
}

export const UNZOOMED: Zoom = { scale: 1, x: 0, y: 0 };
const MAX_SCALE = 8;

export function zoomBy(zoom: Zoom, factor: number): Zoom {
  const scale = Math.min(MAX_SCALE, Math.max(1, zoom.scale * factor));
  return keepInside({ ...zoom, scale });
}

/** Moves the picture, in parts of its own size: to the right and down. */
export function moveBy(zoom: Zoom, x: number, y: number): Zoom {
  return keepInside({ ...zoom, x: zoom.x + x, y: zoom.y + y });
}

/** Nothing beside the picture is ever seen. */
function keepInside({ scale, x, y }: Zoom): Zoom {
  const most = (scale - 1) / 2;
  const within = (value: number) => Math.min(most, Math.max(-most, value));
  return { scale, x: within(x), y: within(y) };
}

interface CasePictureProps {
  name: string;
  /** What it shows, for those who hear. */
  label: string;
  caption?: ReactNode;
  /** What is drawn over it. */
  children?: ReactNode;
  zoom?: Zoom;
  onZoom?(zoom: Zoom): void;
  small?: boolean;
}

export function CasePicture({ name, label, caption, children, zoom, onZoom, small = false }: CasePictureProps) {
  const texts = useTexts();
  const { caseId, store, isUncovered, appear } = useViewing();
  const { grey, size } = usePreferences();
  const picture = usePicture(store, caseId, name);
  const frame = useRef<HTMLDivElement>(null);
  const isThere = picture !== undefined && "url" in picture;
  useEffect(() => (isThere ? appear(name) : undefined), [isThere, appear, name]);

  const latest = useRef({ zoom, onZoom });
  latest.current = { zoom, onZoom };
  useEffect(() => {
    const element = frame.current;
    const turn = (event: WheelEvent) => {
      const { zoom, onZoom } = latest.current;
      if (zoom && onZoom && event.ctrlKey) {
        event.preventDefault();
        onZoom(zoomBy(zoom, event.deltaY < 0 ? 1.2 : 1 / 1.2));
      }
    };
    // Pinching is heard like this too, and the page must not zoom as well.
    element?.addEventListener("wheel", turn, { passive: false });
    return () => element?.removeEventListener("wheel", turn);
  }, []);
  const move = (event: PointerEvent<HTMLDivElement>) => {
    if (zoom && onZoom && zoom.scale > 1 && event.buttons === 1) {
      const { width, height } = event.currentTarget.getBoundingClientRect();
      onZoom(moveBy(zoom, event.movementX / width, event.movementY / height));
    }
  };
  const moved: CSSProperties = zoom
    ? { transform: `translate(${100 * zoom.x}%, ${100 * zoom.y}%) scale(${zoom.scale})` }
    : {};
  return (
    <figure className="picture" data-size={small ? "strip" : size} data-grey={grey}>
      <div
        className="picture-frame"
        ref={frame}
        tabIndex={-1}
        data-covered={!isUncovered}
        data-zoomed={zoom !== undefined && zoom.scale > 1}
        onPointerMove={move}
      >
        {isThere ? (
          <div className="picture-content" style={moved}>
            <img src={picture.url} alt={isUncovered ? label : `${label}: ${texts.viewing.covered}`} draggable={false} />
            {isUncovered && children}
          </div>
        ) : picture ? (
          <div className="picture-wait">
            <p>{errorText(texts, picture.error)}</p>
            <Button
              className="button small"
              aria-label={`${texts.retry}: ${label}`}
              onPress={() => {
                // The button goes, and the focus is not to go with it.
                frame.current?.focus({ preventScroll: true });
                picture.retry();
              }}
            >
              {texts.retry}
            </Button>
          </div>
        ) : (
          <p className="picture-wait">{texts.loading}</p>
        )}
      </div>
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  );
}
