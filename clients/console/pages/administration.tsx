import { useQuery } from '@tanstack/preact-query'
import { RESOURCE_GROUPS, rowsOf } from '../resources.ts'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'
import { Failed, Loading } from '../words/states.tsx'

/** Everything that an administrator sets up, by group. */
export default function Administration() {
  const { data, error } = useQuery({
    queryKey: ['rows of resources'],
    queryFn: () => Promise.all(RESOURCE_GROUPS.map(async (group) => ({ ...group, rows: await rowsOf(group) }))),
    staleTime: Infinity,
  })
  return (
    <Page title="Administration">
      {error !== null && <Failed error={error} />}
      {data === undefined && error === null && <Loading />}
      {data?.map(({ title: group, rows }) => (
        <section key={group} class="group">
          <h2>{group}</h2>
          <ul class="choices">
            {rows.map(({ name, title, about }) => (
              <li key={name}>
                <a href={`${HOME}administration/${name}`}>
                  <b>{title}</b>
                  <span>{about}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </Page>
  )
}
