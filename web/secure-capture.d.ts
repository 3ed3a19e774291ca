// What secure-capture.js exports, for the page that uses it.

/** What vouches for a photo. */
interface CaptureProof {
  version: string;
  token: string;
  signature: string;
  verification: string;
}

export class SecureCapture {
  static start(where: { baseUrl: string; sdkId: string; sessionId?: string }): Promise<SecureCapture>;
  get expired(): boolean;
  seal(image: ArrayBuffer, how?: { multiframe?: boolean }): Promise<{ img: string; secure: CaptureProof }>;
}
