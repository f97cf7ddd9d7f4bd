import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { get } from './records/get.ts'
import { list } from './records/list.ts'

/** What happened, for those who must know. */
export const routes: readonly Route[] = [
  route('GET', '/v1/audit/records', list),
  route('GET', '/v1/audit/records/{id}', get),
]

export const handler = serve(routes)
