import type { ComponentChildren } from 'preact'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'

/** How a state is coloured. Its word is always there as well. */
export type Tone = 'good' | 'waiting' | 'bad' | 'quiet'

export function Pill({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`pill ${tone}`}>{children}</span>
}

/** While an answer is awaited. Screen readers hear it once it takes a moment. */
export function Loading({ what = 'Loading' }: { readonly what?: string }) {
  return (
    <p class="state loading" role="status">
      {what} …
    </p>
  )
}

/** Where there is nothing: why, and what one can do about it. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <p class="state empty">{children}</p>
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A refusal, in the words of the service. */
export function Failed({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  return (
    <div class="state failed" role="alert">
      <p>{wordsOf(error)}</p>
      {retry !== undefined && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** An address without a page. */
export function NotFound() {
  return (
    <Page title="No such page">
      <p>
        Nothing is at this address. <a href={HOME}>The overview</a> leads to everything.
      </p>
    </Page>
  )
}
