// Keeps the page's own files, so that it opens without a connection. It keeps nothing of the holder.

/** Set by the build: the page's files relative to this one, and a name for just these contents. */
declare const FILES: string[];
declare const EDITION: string;

const worker = self as unknown as ServiceWorkerGlobalScope;
const OURS = "assay-holder-files-";
const CACHE = OURS + EDITION;

worker.addEventListener("install", (event) => {
  event.waitUntil(keep());
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(takeOver());
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const known = FILES.some((file) => new URL(file, worker.location.href).href === bare(request.url));
  if (request.method === "GET" && known) {
    event.respondWith(kept(request));
  }
});

async function keep(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
  // The page is one bundle that is loaded at once, so a page of the old edition misses nothing.
  await worker.skipWaiting();
}

async function takeOver(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(OURS) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

async function kept(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(bare(request.url))) ?? fetch(request);
}

/** An address without what follows `?` or `#`: an invitation may be in there, and is nothing to look up by. */
function bare(address: string): string {
  const url = new URL(address);
  return url.origin + url.pathname;
}
