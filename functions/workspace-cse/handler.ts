import '../../shared/wiring.ts'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { besideActions } from '../../shared/endpoints/kacls/of-data-plane.ts'
import { routes } from '../../shared/endpoints/kacls/operations.ts'
import { serve } from '../../shared/identity/serve.ts'
import { withStrayCalls } from '../../shared/serving/stray-calls.ts'

export { routes }
const withCallsOfTheSuite = besideActions(routes.map(({ path }) => path))
export const handler = withStrayCalls(PROTOCOLS, withCallsOfTheSuite(serve(routes)))
