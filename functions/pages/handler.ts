import pages from 'keymgr:pages'
import { pathNotFound, stack } from '../../shared/http/request/stack.ts'
import { fileAt } from '../../shared/http/answer/files.ts'

/**
 * The pages of the service. Ours: served by a function and not by a bucket, because an HTTP API does not sign calls to
 * a bucket; caches keep the large files, whose names change with their content.
 */
export const handler = stack((event) => {
  const answer = fileAt(pages, event)
  return answer === undefined ? Promise.reject(pathNotFound()) : Promise.resolve(answer)
})
