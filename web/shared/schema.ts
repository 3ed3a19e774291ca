// The server's interfaces, as far as the pages call them: generated from its OpenAPI documents by `npm run generate`.

export type { paths as AgePaths } from "./schema/ages";
export type { paths as ImagePaths } from "./schema/ai";
export type { paths as ConsolePaths } from "./schema/console";
export type { paths as IdentityPaths } from "./schema/identity";
export type { paths as ModerationPaths } from "./schema/moderation";
export type { paths as ProofPaths } from "./schema/proof";

type Json<Part> = Part extends { content: { "application/json": infer Body } } ? Body : never;

/** What an operation answers where it succeeds. */
export type ResponseOf<Operation> = Operation extends { responses: infer Responses }
  ? Json<Responses[keyof Responses]>
  : never;

/** What an operation is sent. */
export type RequestBodyOf<Operation> = Operation extends { requestBody?: infer Body } ? Json<NonNullable<Body>> : never;

/** The operations of an interface by what follows `Root` in their addresses. */
export type PathsBelow<Paths, Root extends string> = {
  [Path in keyof Paths as Path extends `${Root}${infer End}` ? End : never]: Paths[Path];
};
