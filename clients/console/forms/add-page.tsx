import { useLocation } from 'preact-iso'
import type { ComponentChildren } from 'preact'
import { Page } from '../shell/page.tsx'
import { tell } from '../shell/toasts.tsx'
import { CallForm, type CallFormProps } from './call-form.tsx'

interface AddPageProps extends Pick<CallFormProps, 'fields' | 'call' | 'run' | 'preview'> {
  readonly title: string
  readonly about: string
  /** the list to which Cancel leads */
  readonly list: string
  readonly listTitle: string
  /** label of the button; default: the title */
  readonly submit?: string
  /** message after success */
  readonly done: string
  /** the page after success; default: the list */
  readonly next?: (answer: unknown) => string
  /** called instead of opening the next page */
  readonly made?: (answer: unknown) => void
  readonly children?: ComponentChildren
}

/** A page with a form that creates or changes one resource. */
export function AddPage({ title, about, list, listTitle, submit, done, next, made, children, ...form }: AddPageProps) {
  const { route } = useLocation()
  return (
    <Page title={title} above={<a href={list}>{listTitle}</a>}>
      <CallForm
        {...form}
        submit={submit ?? title}
        done={(answer) => {
          tell(done)
          if (made === undefined) route(next?.(answer) ?? list)
          else made(answer)
        }}
        cancel={() => route(list)}
      >
        <p class="lead">{about}</p>
        {children}
      </CallForm>
    </Page>
  )
}
