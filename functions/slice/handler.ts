import '../../shared/wiring.ts'
import * as slice from 'keymgr:slice'
import { serve } from '../../shared/identity/serve.ts'

/** Serves the operations of one cloud or protocol: one function for each, all from this file. */
const served = serve(slice.routes)
export const handler = slice.around?.(served) ?? served
