import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface PageProps {
  readonly title: string
  /** links and buttons beside the title */
  readonly actions?: ComponentChildren
  /** a line above the title: where the page belongs */
  readonly above?: ComponentChildren
  readonly children: ComponentChildren
}

let isFirst = true

/** A page: its title is the document's, and gets the focus when one comes from another page. */
export function Page({ title, actions, above, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  useLayoutEffect(() => {
    document.title = `${title} · keymgr console`
  }, [title])
  return (
    <div class="page">
      {above !== undefined && <p class="above">{above}</p>}
      <div class="title">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </div>
  )
}
