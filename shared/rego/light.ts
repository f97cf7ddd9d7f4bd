/** The parts that callers need before a decision, without the interpreter, which is most of a data plane's code. */
export { lowerCase } from './builtins/case-mapping.ts'
export type { Json } from './json.ts'
export { hashOf } from './policy-hash.ts'
