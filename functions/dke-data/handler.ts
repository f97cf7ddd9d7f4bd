/** Answers calls of double key encryption. */
export { handler } from '../../shared/endpoints/dke/serve.ts'
