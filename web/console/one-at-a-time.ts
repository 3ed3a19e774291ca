// What is done once, however often it is asked for: a double click, or Enter twice, makes no second key and no second message.

import { type FormEvent, useRef } from "react";

/** Ignores calls while an earlier one is under way, with all that belongs to it, such as closing the dialog. */
export function useOneAtATime<Args extends unknown[]>(
  act: (...args: Args) => Promise<unknown>,
): (...args: Args) => void {
  const isUnderWay = useRef(false);
  return (...args) => {
    if (isUnderWay.current) {
      return;
    }
    isUnderWay.current = true;
    void act(...args).finally(() => {
      isUnderWay.current = false;
    });
  };
}

/** Sends a form, one time at a time. */
export function useSubmit(send: () => Promise<unknown>): (event: FormEvent) => void {
  const start = useOneAtATime(send);
  return (event) => {
    event.preventDefault();
    start();
  };
}
