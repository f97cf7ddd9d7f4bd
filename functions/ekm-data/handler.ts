/** Answers calls of the external key manager. */
export { handler } from '../../shared/endpoints/ekm/serve.ts'
