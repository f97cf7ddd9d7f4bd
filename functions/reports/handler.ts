import { REPORTED } from '../../shared/work/report/clouds.ts'
import { route, type Route } from '../../shared/http/operation.ts'
import { serve } from '../../shared/http/serve.ts'
import { contents } from './reports/contents.ts'
import { create } from './reports/create.ts'
import { remove } from './reports/delete.ts'
import { download } from './reports/download.ts'
import { get } from './reports/get.ts'
import { list } from './reports/list.ts'

/** The same six calls for every cloud of which reports are made. */
export const routes: readonly Route[] = REPORTED.flatMap((of) => {
  const prefix = `/v1/keymgr/${of.cloud}/reports`
  return [
    route('GET', prefix, list(of)),
    route('POST', prefix, create(of)),
    route('GET', `${prefix}/{id}`, get(of)),
    route('DELETE', `${prefix}/{id}`, remove(of)),
    route('GET', `${prefix}/{id}/contents`, contents(of)),
    route('GET', `${prefix}/{id}/download`, download(of)),
  ]
})

export const handler = serve(routes)
