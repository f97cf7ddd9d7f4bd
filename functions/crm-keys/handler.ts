/** Answers the cloud when it fetches cache-only keys. */
export { handler } from '../../shared/clouds/crm/key-endpoints/data/serve.ts'
