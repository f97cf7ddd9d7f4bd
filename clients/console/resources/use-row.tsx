import { useQuery } from '@tanstack/preact-query'
import type { ComponentChildren } from 'preact'
import { useRoute } from 'preact-iso'
import { resourceNamed } from '../resources.ts'
import { Failed, Loading, NotFound } from '../words/states.tsx'
import type { ResourceRow } from './row.ts'

/** Loads the row of the resource in the address, and draws its page. */
export function OfResource({ children }: { readonly children: (of: ResourceRow) => ComponentChildren }) {
  const { resource = '' } = useRoute().params
  const { data, error } = useQuery({
    queryKey: ['row of a resource', resource],
    queryFn: async () => (await resourceNamed(resource)) ?? null,
    staleTime: Infinity,
  })
  if (error !== null) return <Failed error={error} />
  if (data === undefined) return <Loading />
  return data === null ? <NotFound /> : <>{children(data)}</>
}
