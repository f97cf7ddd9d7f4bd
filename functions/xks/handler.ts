export { handler } from '../../shared/endpoints/xks/serve.ts'
