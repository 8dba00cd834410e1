import { Dialog, ToolbarButton } from '@graphiql/react';
import { useRef, useState } from 'react';
import { linkTo } from './link';
import { type Edited, useEditedOperation } from './operation';
import { asCurl, asGo, asTypeScript, type Request } from './snippets';

type Form = 'Link' | 'curl' | 'TypeScript' | 'Go';

const forms: Form[] = ['Link', 'curl', 'TypeScript', 'Go'];
const programs: Record<Exclude<Form, 'Link'>, (request: Request) => string> = {
  curl: asCurl,
  TypeScript: asTypeScript,
  Go: asGo,
};

/** The button of the toolbar that opens the dialog. */
export function ShareButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <ToolbarButton label="Share link, or copy as code" onClick={() => setOpen(true)}>
        <ShareIcon />
      </ToolbarButton>
      <Dialog open={open} onOpenChange={setOpen}>
        {open && <ShareForms />}
      </Dialog>
    </>
  );
}

/** The operation as a link or a program. Nothing here holds the visitor's key. */
function ShareForms() {
  const edited = useEditedOperation();
  const [form, setForm] = useState<Form>('Link');
  const text = textOf(form, edited);
  return (
    <div className="share">
      <div className="graphiql-dialog-header">
        <Dialog.Title className="graphiql-dialog-title">Share this operation</Dialog.Title>
        <Dialog.Close />
      </div>
      <Dialog.Description className="share-note">
        {form === 'Link'
          ? 'The link holds the query and its variables after the #, which browsers do not send to any server. It contains no key and no header.'
          : 'The key is read from the variable ASTROLABE_API_KEY. Your own key is not part of the text.'}
      </Dialog.Description>
      <fieldset className="share-forms">
        <legend>As</legend>
        {forms.map((one) => (
          <label key={one}>
            <input type="radio" name="share-form" checked={form === one} onChange={() => setForm(one)} />
            {one}
          </label>
        ))}
      </fieldset>
      <CopyText text={text} />
    </div>
  );
}

function textOf(form: Form, edited: Edited): string | undefined {
  if (form === 'Link') return linkTo(edited);
  const { operation, streams } = edited;
  return operation && programs[form]({ operation, streams, endpoint: new URL('/graphql', location.href).href });
}

/** A text and the button that copies it. Where a page may not copy, the text is selected. */
function CopyText({ text }: { text?: string }) {
  const shown = useRef<HTMLPreElement>(null);
  const [copied, setCopied] = useState<string>();
  if (text === undefined) return <p role="alert">There is no operation to share: the query or the variables cannot be parsed.</p>;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied('Copied');
    } catch {
      getSelection()?.selectAllChildren(shown.current!);
      setCopied('Selected: press Ctrl-C');
    }
  };
  return (
    <>
      <pre className="share-text" ref={shown} tabIndex={0} aria-label="Text to copy">
        {text}
      </pre>
      <div className="share-copy">
        <span role="status">{copied}</span>
        <button type="button" onClick={copy}>
          Copy
        </button>
      </div>
    </>
  );
}

function ShareIcon() {
  return (
    <svg className="graphiql-toolbar-icon" viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path d="M7 10.5v6.5h9V9.5h-2.5M4 13V3h7l3 3v1M10 12.5 17 5.5M13 5h4.5v4.5" />
    </svg>
  );
}
