// Assay's secure capture module: proves to the server that an image was captured by this page's own session.
//
//   import { SecureCapture } from "https://assay.example/ai/sm/v1/secure/1/capture.js";
//   const session = await SecureCapture.start({ baseUrl: "https://assay.example", sdkId: "…" });
//   // For a photo of an age verification session, sessionId as well; such a capture counts once.
//   const { img, secure } = await session.seal(await photo.arrayBuffer());
//   // Your server adds { img, secure } to its signed request and calls with ?secure=true.

const VERSION = "1";
const ALGORITHM = { name: "ECDSA", namedCurve: "P-256" };

/** Base64 of bytes, in pieces that fit on the call stack. */
function base64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

function base64url(bytes) {
  return base64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export class SecureCapture {
  #privateKey;
  #token;
  #expires;

  constructor(privateKey, token, expires) {
    this.#privateKey = privateKey;
    this.#token = token;
    this.#expires = expires;
  }

  /** Makes a key that cannot leave this page, and a session of ten minutes for it. */
  static async start({ baseUrl, sdkId, sessionId }) {
    const pair = await crypto.subtle.generateKey(ALGORITHM, false, ["sign"]);
    const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
    const query = new URLSearchParams({ sdkId, key: base64url(point), ...(sessionId ? { sessionId } : {}) });
    const answer = await fetch(`${baseUrl}/ai/sm/v1/secure/${VERSION}/token?${query}`, { cache: "no-store" });
    const body = await answer.json();
    if (!answer.ok) {
      throw new Error(`${body.error_code}: ${body.error_message}`);
    }
    return new SecureCapture(pair.privateKey, body.token, Date.now() + body.expires_in * 1000);
  }

  /** Whether the session has run out, and a new one must be started. */
  get expired() {
    return Date.now() >= this.#expires;
  }

  /** The `img` and `secure` members of the request's body for an image file's bytes. */
  async seal(image, { multiframe = false } = {}) {
    const bytes = new Uint8Array(image);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    const statement = JSON.stringify({ image: base64url(hash), multiframe });
    const verification = base64url(new TextEncoder().encode(statement));
    const signature = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      this.#privateKey,
      new TextEncoder().encode(verification),
    );
    return {
      img: base64(bytes),
      secure: { version: VERSION, token: this.#token, signature: base64url(new Uint8Array(signature)), verification },
    };
  }
}
