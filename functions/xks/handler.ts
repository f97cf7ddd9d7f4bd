/** Answers calls of cloud-a to external key stores. */
export { handler } from '../../shared/clouds/cloud-a/key-stores/proxy/serve.ts'
