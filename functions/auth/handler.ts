import { serve } from '../../shared/http/serve.ts'
import { routes } from '../../shared/identity/tokens/operations.ts'

export { routes }
export const handler = serve(routes)
