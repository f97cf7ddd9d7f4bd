import '../../shared/wiring.ts'
import { serve } from '../../shared/identity/serve.ts'
import { routes } from '../../shared/identity/tokens/operations.ts'

export { routes }
export const handler = serve(routes)
