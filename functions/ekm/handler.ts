import '../../shared/wiring.ts'
import { ofDataPlane } from '../../shared/endpoints/ekm/of-data-plane.ts'
import { routes } from '../../shared/endpoints/ekm/operations.ts'
import { serve } from '../../shared/identity/serve.ts'

export { routes }
export const handler = ofDataPlane(serve(routes))
