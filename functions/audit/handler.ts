import { serve } from '../../shared/http/serve.ts'
import { routes } from '../../shared/audit/operations.ts'

export { routes }
export const handler = serve(routes)
