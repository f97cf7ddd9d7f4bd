import { useLocation } from 'preact-iso'
import type { ComponentChildren } from 'preact'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import { CallForm, type CallFormProps } from './call-form.tsx'

interface AddPageProps extends Pick<CallFormProps, 'fields' | 'call' | 'run' | 'preview'> {
  readonly title: string
  readonly about: string
  /** the list to which it belongs, where Cancel leads */
  readonly list: string
  readonly listTitle: string
  /** the button; the title without */
  readonly submit?: string
  /** told when it is done */
  readonly done: string
  /** where one goes then; to the list without */
  readonly next?: (answer: unknown) => string
  readonly children?: ComponentChildren
}

/** A page with a form that makes one resource, or changes one. */
export function AddPage({ title, about, list, listTitle, submit, done, next, children, ...form }: AddPageProps) {
  const { route } = useLocation()
  return (
    <Page title={title} above={<a href={list}>{listTitle}</a>}>
      <CallForm
        {...form}
        submit={submit ?? title}
        done={(answer) => {
          tell(done)
          route(next?.(answer) ?? list)
        }}
        cancel={() => route(list)}
      >
        <p class="lead">{about}</p>
        {children}
      </CallForm>
    </Page>
  )
}
