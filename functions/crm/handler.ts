import '../../shared/wiring.ts'
import { routes } from '../../shared/clouds/crm/operations.ts'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { serve } from '../../shared/identity/serve.ts'
import { withStrayCalls } from '../../shared/serving/stray-calls.ts'

export { routes }
export const handler = withStrayCalls(PROTOCOLS, serve(routes))
