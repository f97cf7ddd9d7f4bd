import { useQuery } from '@tanstack/preact-query'
import { HOME } from '../home.ts'
import { read } from '../service.ts'
import { AttributeList } from './attributes.tsx'
import { count } from './numbers.ts'
import { Empty, Failed, Loading } from './states.tsx'

const milliseconds = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : `${ms} ms`)
const percent = (share: number): string => `${Number((share * 100).toFixed(2))} %`

/** Service level of an endpoint in the last 30 days. */
export function ServiceLevel({ id }: { readonly id: string }) {
  const { data, error } = useQuery({
    queryKey: ['service-level', id],
    queryFn: ({ signal }) => read('/v1/service-levels/{id}', { path: { id }, signal }),
  })
  return (
    <section>
      <h2>Service level</h2>
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading what="Loading the service level" />}
      {data?.calls === 0 && <Empty>It has not been called in the last 30 days. Calls take about a minute.</Empty>}
      {data !== undefined && data.calls > 0 && (
        <>
          <AttributeList
            rows={[
              ['Calls in 30 days', count(data.calls)],
              ['Median', milliseconds(data.p50_ms)],
              ['99th percentile', milliseconds(data.p99_ms)],
              ['Time limit', milliseconds(data.time_limit_ms)],
              ['Refused', count(data.refused)],
              ['Errors', count(data.errors)],
              ['Late', count(data.late)],
              ['Objective', percent(data.objective)],
              ['Error budget left', percent(data.budget_left)],
            ]}
          />
          <p>
            <a href={`${HOME}administration/service-levels/${id}`}>By caller, hour and day</a>
          </p>
        </>
      )}
    </section>
  )
}
