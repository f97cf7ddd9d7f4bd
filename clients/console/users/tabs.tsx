import { HOME } from '../routes.ts'

const TABS = [
  { title: 'Users', at: `${HOME}users` },
  { title: 'Groups', at: `${HOME}users/groups` },
] as const

export function UserTabs({ here }: { readonly here: (typeof TABS)[number]['title'] }) {
  return (
    <nav class="tabs" aria-label="Users and groups">
      {TABS.map(({ title, at }) => (
        <a key={at} href={at} aria-current={title === here ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}
