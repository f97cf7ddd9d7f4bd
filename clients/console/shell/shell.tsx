import { Route, Router } from 'preact-iso'
import { useRef } from 'preact/hooks'
import { PAGES } from '../routes.ts'
import { NotFound } from '../words/states.tsx'
import { Header } from './header.tsx'
import { Toasts } from './toasts.tsx'
import { Welcome } from './welcome.tsx'

/**
 * The frame of every page. The former page stays until the next one is loaded, and is inert meanwhile: what the user
 * types into it would be lost.
 */
export function Shell() {
  const main = useRef<HTMLElement>(null)
  const setInert = (isInert: boolean): void => {
    for (const page of main.current?.querySelectorAll('.page') ?? []) page.toggleAttribute('inert', isInert)
  }
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header />
      <Welcome />
      <main id="main" tabIndex={-1} ref={main}>
        <Router onLoadStart={() => setInert(true)} onLoadEnd={() => setInert(false)}>
          {PAGES.map(({ path, component }) => (
            <Route key={path} path={path} component={component} />
          ))}
          <Route default component={NotFound} />
        </Router>
      </main>
      <Toasts />
    </>
  )
}
