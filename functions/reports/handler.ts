import { serve } from '../../shared/http/serve.ts'
import { routes } from '../../shared/work/report/operations.ts'

export { routes }
export const handler = serve(routes)
