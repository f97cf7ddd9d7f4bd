import '../../shared/wiring.ts'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { ofDataPlane } from '../../shared/endpoints/ekm/of-data-plane.ts'
import { routes } from '../../shared/endpoints/ekm/operations.ts'
import { serve } from '../../shared/identity/serve.ts'
import { withStrayCalls } from '../../shared/serving/stray-calls.ts'

export { routes }
export const handler = withStrayCalls(PROTOCOLS, ofDataPlane(serve(routes)))
