import { useLocation, useRoute } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { Loading, NotFound } from '../words/states.tsx'
import { pageOf } from './audit/places.ts'

/** Goes on to the page of the record whose `uri` is in the query, for links from other programs. */
export default function Go() {
  const { query } = useRoute()
  const { route } = useLocation()
  const page = pageOf(query.uri ?? '', '')
  useEffect(() => {
    if (page !== undefined) route(page, true)
  }, [page])
  return page === undefined ? <NotFound /> : <Loading />
}
