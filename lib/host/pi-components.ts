import { Container, Text, TruncatedText } from "@mariozechner/pi-tui";

/** A line, cut at the edge of the screen, and below it a text that wraps. Nothing at all for an empty line. */
export function row(line: string, body?: string): Container {
  const component = new Container();
  if (line !== "") component.addChild(new TruncatedText(line));
  if (body) component.addChild(new Text(body, 0, 0));
  return component;
}
