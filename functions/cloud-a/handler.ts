import { serve } from '../../shared/http/serve.ts'
import { routes } from '../../shared/clouds/cloud-a/operations.ts'

export { routes }
export const handler = serve(routes)
