/** Answers calls of cloud-d to external vaults. */
export { handler } from '../../shared/clouds/cloud-d/external/proxy/serve.ts'
