import { serve } from '../../shared/http/serve.ts'
import { routes } from '../../shared/audit/operations.ts'

export const handler = serve(routes)
