/** Answers the platform's calls to external key stores. */
export { handler } from '../../shared/endpoints/datacust/serve.ts'
