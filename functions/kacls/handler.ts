/** Answers the calls of workspace client-side encryption. */
export { handler } from '../../shared/endpoints/kacls/serve.ts'
