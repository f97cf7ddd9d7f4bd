import { HOME } from '../../routes.ts'

const TABS = [
  { title: 'Configurations', at: `${HOME}jobs` },
  { title: 'Runs', at: `${HOME}jobs/runs` },
] as const

export function JobTabs({ here }: { readonly here: (typeof TABS)[number]['title'] }) {
  return (
    <nav class="tabs" aria-label="Jobs">
      {TABS.map(({ title, at }) => (
        <a key={at} href={at} aria-current={title === here ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}
