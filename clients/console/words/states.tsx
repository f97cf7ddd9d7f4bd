import type { ComponentChildren } from 'preact'
import { HOME } from '../home.ts'
import { Page } from '../shell/page.tsx'

/** The colour of a state. Its word is always shown too. */
export type Tone = 'good' | 'waiting' | 'bad' | 'quiet'

export function Pill({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`pill ${tone}`}>{children}</span>
}

/** Shown while an answer is awaited. Screen readers announce it after a moment. */
export function Loading({ what = 'Loading' }: { readonly what?: string }) {
  return (
    <p class="state loading" role="status">
      {what} …
    </p>
  )
}

/** Shown instead of an empty list: the reason, and what the user can do. */
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

/** A page whose script cannot be loaded: the service is out of reach, or has another version by now. */
export function NotLoaded() {
  return (
    <Page title="This page could not be loaded">
      <Failed
        error="The service cannot be reached, or it was updated since you opened the console."
        retry={() => location.reload()}
      />
    </Page>
  )
}
