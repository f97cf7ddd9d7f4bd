import { RESOURCE_GROUPS } from '../resources.ts'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'

/** Everything that an administrator sets up, by group. */
export default function Administration() {
  return (
    <Page title="Administration">
      {RESOURCE_GROUPS.map(({ title: group, rows }) => (
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
