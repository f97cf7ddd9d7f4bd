interface Tab {
  readonly title: string
  /** address of the page */
  readonly at: string
}

/** Links between related pages. @param here title of the present page */
export function Tabs(props: { readonly label: string; readonly tabs: readonly Tab[]; readonly here: string }) {
  const { label, tabs, here } = props
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ title, at }) => (
        <a key={at} href={at} aria-current={title === here ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  )
}
