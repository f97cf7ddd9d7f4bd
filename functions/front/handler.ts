import { serve } from '../../shared/http/serve.ts'

/** Whatever no other function claims: 404 in our own form. */
export const handler = serve([])
