import { useQuery } from '@tanstack/preact-query'
import { keymgr } from '../service.ts'

/** The banner after log-in, if an administrator wrote one. */
export function Welcome() {
  const { data } = useQuery({
    queryKey: ['welcome'],
    queryFn: ({ signal }) => keymgr.get('/v1/auth/banners/post-auth', { signal }),
    staleTime: Infinity,
  })
  if (data === undefined || data.message === '') return null
  return (
    <p role="status" class="notice banner">
      {data.message}
    </p>
  )
}
