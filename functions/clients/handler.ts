import '../../shared/wiring.ts'
import { routes } from '../../shared/certificates/clients/operations.ts'
import { serve } from '../../shared/identity/serve.ts'

export { routes }
export const handler = serve(routes)
