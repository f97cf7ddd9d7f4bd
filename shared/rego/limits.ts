/**
 * Limits of an uploaded policy, which comes from one tenant and runs in a process that serves others. Every row has a
 * test that reaches it. Bytes of text are counted as UTF-16 units where counting UTF-8 would require encoding.
 */
export const LIMITS = {
  /** policy text, in bytes of UTF-8 */
  policyBytes: 65_536,
  /** brackets, operators and statements inside each other in the parser */
  parserDepth: 200,
  /** rules, their further bodies, and branches of `else` */
  rules: 1_000,
  literals: 10_000,
  /** each literal that iterates nests in the next */
  bodyLiterals: 1_000,
  /** one for each token read and each term or rule processed, in both dialects together */
  compileSteps: 1_000_000,
  /**
   * processor time of an upload, in addition to these steps, because cold code takes twice as long as warm code; a
   * stored text has only the step limit, which it passed once. An ordinary policy of 64 KiB takes 70 ms cold.
   */
  compileCpuMs: 100,
  /** input document: units of its strings plus one for each value */
  inputSize: 262_144,
  inputDepth: 64,
  /** one for each literal tried, element iterated, and term built; built-ins charge by size */
  steps: 500_000,
  /** checked every STEPS_PER_CLOCK steps; the steps are the main bound */
  wallClockMs: 100,
  /** nesting of rules, functions and closures */
  callDepth: 256,
  /** values in results and caches, counted when built; also the limit of one printed value */
  nodes: 200_000,
  textUnits: 8_388_608,
  /** the decision's document as JSON text */
  resultUnits: 65_536,
  /** length of a string that a built-in builds */
  stringUnits: 1_048_576,
  /** addresses of one `net.cidr_expand` */
  cidrAddresses: 65_536,
  regexPatternUnits: 1_024,
  regexInstructions: 10_000,
  regexTextUnits: 65_536,
  globPatternUnits: 1_024,
  /** text parsed by `json.unmarshal` and `yaml.unmarshal` */
  documentUnits: 262_144,
  documentDepth: 64,
  signatureChecks: 8,
  tokenUnits: 16_384,
} as const

export type Limits = { readonly [name in keyof typeof LIMITS]: number }

/** Steps between two reads of the clock. */
export const STEPS_PER_CLOCK = 1_024

/** Most faults reported for one text. */
export const MAX_FAULTS = 10

/** Most compiled policies in the cache. */
export const CACHE_ENTRIES = 64
export const CACHE_BYTES = 33_554_432
