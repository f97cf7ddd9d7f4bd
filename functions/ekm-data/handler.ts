export { handler } from '../../shared/endpoints/ekm/data/serve.ts'
