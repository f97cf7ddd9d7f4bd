import '../../shared/wiring.ts'
import * as slice from 'keymgr:slice'
import { PROTOCOLS } from '../../shared/endpoints/all.ts'
import { serve } from '../../shared/identity/serve.ts'
import { withStrayCalls } from '../../shared/serving/stray-calls.ts'

/** Serves the operations of one cloud or protocol: one function for each, all from this file. */
const served = serve(slice.routes)
export const handler = withStrayCalls(PROTOCOLS, slice.around?.(served) ?? served)
