// Modules that are fetched when they are needed, over networks that break.

/** A module could not be fetched. */
export class ImportError extends Error {
  constructor(cause: unknown) {
    super("a module could not be fetched", { cause });
  }
}

/** Where Chromium and Firefox say which module it was. WebKit does not. */
const ADDRESS = /https?:\/\/\S+/;

/** Counts the other addresses, of which each is used once. */
let lastAttempt = 0;

/**
 * Fetches a module; throws `ImportError` where it cannot be had. A later call asks for it again.
 *
 * Browsers remember by its address that a module could not be fetched, and do not ask for that address again; HTML allows it only
 * since whatwg/html#10327. So a module that fails is asked for once more, by another address of the same file. What it imports
 * itself keeps its address: where that is what failed, only loading the page anew helps.
 */
export async function importAgain<Module>(
  load: () => Promise<Module>,
  loadFrom: (address: string) => Promise<Module> = (address) => import(address),
): Promise<Module> {
  try {
    return await load();
  } catch (failure) {
    const address = otherAddress(failure);
    if (address === undefined) {
      throw new ImportError(failure);
    }
    return loadFrom(address).catch((error: unknown) => Promise.reject(new ImportError(error)));
  }
}

/** Another address of the module that an error names; `undefined` where it names none. */
function otherAddress(failure: unknown): string | undefined {
  const [found] = ADDRESS.exec(failure instanceof Error ? failure.message : "") ?? [];
  if (found === undefined) {
    return undefined;
  }
  lastAttempt += 1;
  return `${found}?again=${lastAttempt}`;
}
