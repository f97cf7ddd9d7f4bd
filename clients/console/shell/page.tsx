import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { remember } from '../search/recent.ts'

interface PageProps {
  readonly title: string
  /** links and buttons next to the title */
  readonly actions?: ComponentChildren
  /** a line above the title that links to the parent page */
  readonly above?: ComponentChildren
  readonly children: ComponentChildren
}

let isFirst = true

/** A page. Its title is the document's title, and gets the focus when the user arrives from another page. */
export function Page({ title, actions, above, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus()
    isFirst = false
  }, [])
  useLayoutEffect(() => {
    const [, , folder = ''] = location.pathname.split('/')
    remember({ href: location.pathname, title, detail: folder })
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
