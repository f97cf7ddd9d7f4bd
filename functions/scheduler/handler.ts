import { serve } from '../../shared/http/serve.ts'
import { routes } from '../../shared/work/schedule/operations.ts'

export { routes }
export const handler = serve(routes)
