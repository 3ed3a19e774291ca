// Keeps the page's own files, so that it opens without a connection. It keeps nothing of the holder.

/** Set by the build: the page's files relative to this one, and a name for just these contents. */
declare const FILES: string[];
declare const EDITION: string;

const worker = self as unknown as ServiceWorkerGlobalScope;
const CACHE_PREFIX = "assay-holder-files-";
const CACHE = CACHE_PREFIX + EDITION;

worker.addEventListener("install", (event) => {
  event.waitUntil(cacheFiles());
});

worker.addEventListener("activate", (event) => {
  event.waitUntil(deleteOldCaches());
});

worker.addEventListener("fetch", (event) => {
  const { request } = event;
  const known = FILES.some((file) => new URL(file, worker.location.href).href === withoutQuery(request.url));
  if (request.method === "GET" && known) {
    event.respondWith(cachedResponse(request));
  }
});

async function cacheFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll(FILES.map((file) => new Request(file, { cache: "reload" })));
  // The page is one bundle that is loaded at once, so a page of the old edition misses nothing.
  await worker.skipWaiting();
}

async function deleteOldCaches(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(CACHE_PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await worker.clients.claim();
}

async function cachedResponse(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  return (await cache.match(withoutQuery(request.url))) ?? fetch(request);
}

/** An address without what follows `?` or `#`: an invitation may be in there, and is nothing to look up by. */
function withoutQuery(address: string): string {
  const url = new URL(address);
  return url.origin + url.pathname;
}
