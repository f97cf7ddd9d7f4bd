import { serve } from '../../shared/http/serve.ts'
import { routes } from '../../shared/work/report/operations.ts'

export const handler = serve(routes)
